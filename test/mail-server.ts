import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface MailServer {
  readonly url: string;
  /** What was taken. */
  readonly mails: string[];
  /** Commands, in their order. */
  readonly commands: string[];
  /** Resolves when a command came whose answer never ends. */
  readonly held: Promise<{ readonly closed: Promise<void> }>;
}

/**
 * A mail server that takes what is sent to it, until the test is over.
 *
 * @param unended begins the command whose answer begins and never ends; `.` is the end of a mail.
 * @param extensions what it says that it can do.
 * @param refusal the beginning of a command, or `greeting`, and what is answered to it.
 */
export async function takeMail(
  unended: string | null = null,
  extensions: string[] = [],
  refusal: readonly [string, string] | null = null,
): Promise<MailServer> {
  const mails: string[] = [];
  const commands: string[] = [];
  const held = Promise.withResolvers<{ readonly closed: Promise<void> }>();
  const hello = ['250-ready', ...extensions.map((each) => `250-${each}`), '250 ok', ''].join('\r\n');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    let [unread, mail]: [string, string | null] = ['', null];
    const answer = (line: string): string => {
      if (refusal !== null && line.startsWith(refusal[0])) return `${refusal[1]}\r\n`;
      if (line === '.') {
        mails.push(mail ?? '');
        mail = null;
        return '250 taken\r\n';
      }
      if (line === 'DATA') mail = '';
      if (line.startsWith('EHLO')) return hello;
      if (line === 'STARTTLS') return '502 no TLS here\r\n';
      if (line.startsWith('AUTH')) return '235 ok\r\n';
      return line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n';
    };
    socket.on('error', () => {});
    socket.write(refusal?.[0] === 'greeting' ? `${refusal[1]}\r\n` : '220 ready\r\n');
    socket.on('data', (chunk) => {
      unread += chunk;
      for (let end = unread.indexOf('\r\n'); end >= 0; end = unread.indexOf('\r\n')) {
        const line = unread.slice(0, end);
        unread = unread.slice(end + 2);
        if (mail !== null && line !== '.') {
          mail += `${line}\n`;
          continue;
        }
        commands.push(line);
        if (unended === null || !line.startsWith(unended)) socket.write(answer(line));
        else {
          socket.write('250-wait\r\n');
          held.resolve({ closed });
        }
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, mails, commands, held: held.promise };
}
