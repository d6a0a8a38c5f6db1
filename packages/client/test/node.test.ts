import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PACKAGE } from './built-package.ts';
import { type Ended, runNode } from './run-node.ts';
import { startScriptedServer } from './scripted-server.ts';
import { type Reply, Room } from './server-script.ts';

const server = await startScriptedServer();

afterAll(() => server.close());

const PRELUDE = `
  import { Millrace } from ${JSON.stringify(join(PACKAGE, 'src/node.ts'))};
  import { closeOnExit } from ${JSON.stringify(join(PACKAGE, 'src/exit.ts'))};
  const open = (options) => new Millrace('key', { endpoint: process.env.ENDPOINT, ...options });
  const track = (client, messageId) => client.track({ userId: 'u1', event: 'Tested', messageId });
`;

interface Run extends Ended {
  /** The calls that came, by their messageIds. */
  readonly sent: readonly string[];
}

interface RunOptions {
  readonly script?: readonly Reply[];
  readonly env?: Record<string, string>;
  /** Of Node. */
  readonly flags?: readonly string[];
  readonly said?: Said;
}

async function run(code: string, { script = [], env = {}, flags = [], said }: RunOptions = {}): Promise<Run> {
  const room = await Room.open(server.url, script);
  const ended = await runNode([...flags, '--input-type=module', '-e', PRELUDE + code], {
    env: { ENDPOINT: room.endpoint, ...env },
    ...(said ? { said } : {}),
  });
  return { ...ended, sent: (await room.calls()).map(({ messageId }) => messageId) };
}

type Said = (line: string, kill: (signal: NodeJS.Signals) => void) => void;

test('messages that wait keep no process alive', async () => {
  const { code, sent } = await run(`track(open({ flushAfter: 600_000 }), 'm1');`);
  expect({ code, sent }).toEqual({ code: 0, sent: [] });
});

test('an awaited flush does, over retries too', async () => {
  const { stdout, sent } = await run(`const client = open(); track(client, 'm1'); console.log(await client.flush());`, {
    script: [500, 500, 200],
  });
  expect(stdout).toBe('{ delivered: 1, failed: 0 }\n');
  expect(sent).toEqual(['m1', 'm1', 'm1']);
});

test('await using closes at the end of the block', async () => {
  const { code, sent } = await run(`{ await using client = open(); track(client, 'm1'); }`);
  expect({ code, sent }).toEqual({ code: 0, sent: ['m1'] });
});

test('closeOnExit delivers what is queued when there is nothing more to do', async () => {
  const { code, sent } = await run(`const client = open(); closeOnExit(client); track(client, 'm1');`);
  expect({ code, sent }).toEqual({ code: 0, sent: ['m1'] });
});

const WORKING = `setInterval(() => {}, 1_000); console.log('working');`;

test('closeOnExit delivers what is queued at a signal, and ends as the signal would have', async () => {
  const { signal, sent } = await run(`const client = open(); closeOnExit(client); track(client, 'm1'); ${WORKING}`, {
    said: (line, kill) => {
      if (line === 'working') kill('SIGTERM');
    },
  });
  expect({ signal, sent }).toEqual({ signal: 'SIGTERM', sent: ['m1'] });
});

test('closeOnExit ends the process when the last of several clients is closed, also at a signal that comes twice', async () => {
  const { signal, stdout } = await run(
    `const onError = ({ code }, { messageId }) => console.log(code, messageId);
     const idle = open(); const busy = open({ onError }); closeOnExit(idle, { within: 2_000 }); closeOnExit(busy, { within: 2_000 });
     track(busy, 'm1'); ${WORKING}`,
    {
      script: ['hang'],
      said: (line, kill) => {
        if (line !== 'working') return;
        kill('SIGINT');
        setTimeout(() => kill('SIGINT'), 50);
      },
    },
  );
  expect({ signal, stdout }).toEqual({ signal: 'SIGINT', stdout: 'working\nclosed m1\n' });
});

test('closeOnExit leaves the end to an application that listens for the signal', async () => {
  const { code, stdout, sent } = await run(
    `const client = open(); closeOnExit(client); track(client, 'm1');
     process.on('SIGTERM', async () => { await client.close(); console.log('closed'); process.exit(7); }); ${WORKING}`,
    {
      said: (line, kill) => {
        if (line === 'working') kill('SIGTERM');
      },
    },
  );
  expect({ code, stdout, sent }).toEqual({ code: 7, stdout: 'working\nclosed\n', sent: ['m1'] });
});

test('closeOnExit ends in time, and what is not delivered by then is reported', async () => {
  const { stdout } = await run(
    `const onError = (error, { messageId }) => console.log(error.code, messageId);
     const client = open({ onError }); closeOnExit(client, { within: 100 }); track(client, 'm1');`,
    { script: ['hang'] },
  );
  expect(stdout).toBe('closed m1\n');
});

const REPORTING = `
  const onDelivered = ({ messageId }) => console.log('delivered', messageId);
  const onError = ({ code }, { messageId }) => console.log(code, messageId);
`;

test.each(['Infinity', '2 ** 31'])('within %s is enough for a second attempt', async (within) => {
  const code = `${REPORTING} const client = open({ onDelivered, onError }); track(client, 'm1');`;
  for (const close of [`closeOnExit(client, { within: ${within} });`, `await client.close({ within: ${within} });`]) {
    const { stdout, stderr } = await run(code + close, { script: [500, 200] });
    expect({ stdout, stderr }).toEqual({ stdout: 'delivered m1\n', stderr: '' });
  }
});

test('within 0 reports at once what is left', async () => {
  const { stdout } = await run(
    `${REPORTING} const client = open({ onError }); track(client, 'm1'); await client.close({ within: 0 });`,
    { script: ['hang'] },
  );
  expect(stdout).toBe('closed m1\n');
});

test('a within that is no time is refused where it is said, and the client stays open', async () => {
  const { code, stdout, sent } = await run(
    `const client = open();
     for (const within of [NaN, -1, '5000', {}]) {
       for (const use of [() => client.close({ within }), () => closeOnExit(client, { within })]) {
         try { use(); } catch ({ code, message }) { console.log(code, message); }
       }
     }
     track(client, 'm1'); await client.close({ within: null });`,
  );
  const refused = 'invalid_option Option "within" must be a number of milliseconds, 0 or more.\n';
  expect({ code, stdout, sent }).toEqual({ code: 0, stdout: refused.repeat(8), sent: ['m1'] });
});

test('what closeOnExit answers takes its listeners away', async () => {
  const { stdout, sent } = await run(
    `const client = open(); const remove = closeOnExit(client); track(client, 'm1'); remove();
     console.log(['beforeExit', 'SIGTERM', 'SIGINT'].map((event) => process.listenerCount(event)).join());`,
  );
  expect({ stdout, sent }).toEqual({ stdout: '0,0,0\n', sent: [] });
});

test('DEBUG=analytics prints what is queued and sent', async () => {
  const code = `const client = open(); track(client, 'm1'); await client.close();`;
  const shown = await run(code, { env: { DEBUG: 'http,analytics' } });
  expect(shown.stdout).toMatch(/millrace: queued .*"m1".*\nmillrace: sending 1 messages\n/);
  const quiet = await run(code);
  expect(quiet.stdout + quiet.stderr).toBe('');
});

test('without onError and logger, a loss is written to the console', async () => {
  const { stderr } = await run(`const client = open(); track(client, 'm1'); await client.close();`, {
    script: [{ status: 401, body: '{"code":"unknown_write_key","message":"No source has this write key."}' }],
  });
  expect(stderr).toBe('millrace: 1 messages lost: Answered 401: No source has this write key.\n');
});

test('100,000 calls of 1 kB in a loop hold no more memory than the queue and a batch need', async () => {
  const { stdout } = await run(
    `let reported = 0;
     const client = open({ maxQueue: 1_000, onError: () => { reported += 1; } });
     const heap = () => {
       gc();
       const { heapUsed, external } = process.memoryUsage();
       return heapUsed + external;
     };
     const filler = 'x'.repeat(1_000);
     const before = heap();
     let most = 0;
     for (let i = 1; i <= 100_000; i++) {
       client.track({ userId: 'u1', event: 'Tested', properties: { filler: filler + i } });
       if (i % 1_000 === 0) await new Promise(setImmediate);
       if (i % 10_000 === 0) most = Math.max(most, heap() - before);
     }
     console.log(JSON.stringify({ reported, most }));
     process.exit();`,
    // What is in flight stays there.
    { script: ['hang'], flags: ['--expose-gc'] },
  );
  const { reported, most } = JSON.parse(stdout);
  expect(reported).toBeGreaterThan(95_000);
  // 2,000 messages of 1.2 kB at most wait or are in flight; all of them would be over 120 MB.
  expect(most).toBeLessThan(30_000_000);
});

test('a loop that never waits makes memory of no report', async () => {
  const { stdout } = await run(
    `import { createHook } from 'node:async_hooks';
     let reported = 0;
     const client = open({ maxQueue: 100, onError: () => { reported += 1; } });
     for (let i = 0; i < 200; i += 1) track(client);
     let promises = 0;
     createHook({ init: (_, type) => { if (type === 'PROMISE') promises += 1; } }).enable();
     for (let i = 0; i < 50_000; i += 1) track(client);
     console.log(JSON.stringify({ reported, promises }));
     process.exit();`,
    { script: ['hang'] },
  );
  const { reported, promises } = JSON.parse(stdout);
  expect(reported).toBeGreaterThan(50_000);
  expect(promises).toBeLessThan(100);
});
