import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection whose bytes are the test's own, until the test is over. */
export class Raw {
  readonly socket: Socket;
  /** Everything that came back. */
  text = '';
  readonly closed: Promise<void>;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('data', (chunk: Buffer) => {
      this.text += chunk;
    });
    // A reset is an answer, too: `closed` tells of it.
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => resolve());
    });
    onTestFinished(() => void this.socket.destroy());
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  async connected(): Promise<this> {
    if (this.socket.connecting) await once(this.socket, 'connect');
    return this;
  }

  /** Resolves with what came back when the condition holds, or the connection is over. */
  async until(condition: () => boolean): Promise<string> {
    while (!condition() && !this.socket.closed) {
      await Promise.race([new Promise((resolve) => this.socket.once('data', resolve)), this.closed]);
    }
    return this.text;
  }

  destroy(): void {
    this.socket.destroy();
  }
}
