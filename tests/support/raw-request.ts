import { connect } from 'node:net';

export type RawAnswer = { status: number; headers: Headers; body: { code?: string } & Record<string, unknown> };

/**
 * Sends exactly this text over a new connection, and reads until the server closes it or an answer of known length is
 * complete.
 */
export function sent(url: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((done, fail) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer but ${JSON.stringify(received)}`)));
    const finish = (): void => {
      const answer = parsed(received);
      if (answer === null) return;
      socket.destroy();
      done(answer);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      finish();
    });
    socket.on('error', fail);
    socket.on('close', () => {
      const answer = parsed(received);
      if (answer === null) fail(new Error(`no answer but ${JSON.stringify(received)}`));
      else done(answer);
    });
  });
}

/** Null until it is complete. */
function parsed(received: string): RawAnswer | null {
  const all = received.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '');
  const end = all.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [statusLine = '', ...lines] = all.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]));
  const body = all.slice(end + 4);
  if (Buffer.byteLength(body) < Number(headers.get('content-length') ?? '0')) return null;
  return { status: Number(statusLine.split(' ')[1]), headers, body: body === '' ? {} : JSON.parse(body) };
}
