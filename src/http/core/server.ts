import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type Answer, failureAnswer, headersOf, toResponse } from './answer.ts';
import { limitArrival } from './arrival-limits.ts';
import { limitPerNetwork } from './connections-per-network.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import type { HttpServices } from './http-services.ts';

export type HttpServer = {
  readonly port: number;
  /**
   * Accepts no new connection, lets requests in flight finish with `connection: close`, and closes idle connections
   * after a moment, so that a request sent before the client could know is still answered. What has not finished after
   * `finishMs` is cut off. `onStopped` is called once no new connection is accepted: answers from then on ask the
   * client to close.
   */
  readonly close: (onStopped?: () => void) => Promise<void>;
};

/** All in milliseconds except the last three. */
export type HttpServerLimits = {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Longer than a proxy in front keeps an idle connection open, so that the proxy closes it first. */
  readonly keepAliveMs: number;
  /** Between checks for requests that take too long. */
  readonly checkMs: number;
  /** How long a stop keeps idle connections: a busy client needs that long to send its next request. */
  readonly lingerMs: number;
  readonly finishMs: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** Of one network; beyond it the one that was idle longest is closed. */
  readonly connectionsPerNetwork: number;
};

const LIMITS: HttpServerLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  checkMs: 5_000,
  lingerMs: 1_000,
  finishMs: 5_000,
  headerBytes: 16 * 1024,
  connections: 10_000,
  connectionsPerNetwork: 1_000,
};

type HttpServerOptions = {
  readonly fetch: (request: Request, env: object) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  readonly services: Pick<HttpServices, 'newId' | 'logger'>;
  readonly limits?: Partial<HttpServerLimits>;
};

/** Listens on the host and port; port 0 picks a free one. @throws Error when the port is taken */
export function startHttpServer({
  fetch,
  host,
  port,
  services,
  limits: given,
}: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...LIMITS, ...given };
  const underWay = new Set<ServerResponse>();
  const perNetwork = limitPerNetwork(limits.connectionsPerNetwork);
  let closing = false;

  const refused = (code: ErrorCode): Answer & { requestId: string } => {
    const requestId = services.newId();
    services.logger.info({ requestId, code }, 'request refused before it was read');
    return { ...failureAnswer(new ApiError(code), requestId), requestId };
  };
  const listener = getRequestListener(fetch as never, {
    hostname: 'localhost',
    errorHandler: (error) => {
      const malformed = error instanceof RequestError;
      if (!malformed) services.logger.error({ err: error }, 'request failed before it was handled');
      const answer = refused(malformed ? 'REQUEST_MALFORMED' : 'INTERNAL_ERROR');
      return toResponse(answer, { 'x-request-id': answer.requestId });
    },
  });

  function take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    underWay.add(outgoing);
    const ended = perNetwork.began(incoming.socket);
    outgoing.once('close', () => {
      underWay.delete(outgoing);
      ended();
    });
    if (closing) outgoing.shouldKeepAlive = false;
    // RFC 9112, section 3.2. Node's own check would answer with nothing but the status.
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') {
      const answer = refused('REQUEST_MALFORMED');
      outgoing.writeHead(answer.status, { ...wireHeaders(answer), connection: 'close' }).end(answer.body);
      return;
    }
    void listener(incoming, outgoing);
  }

  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: limits.headerBytes,
      requireHostHeader: false,
    },
    take,
  );
  limitArrival(server, limits);
  server.maxConnections = limits.connections;
  server.on('connection', perNetwork.opened);
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', take);
  server.on('connect', (_, socket) => end(socket, refused('METHOD_NOT_ALLOWED'), { allow: '' }));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writableEnded) return;
    const answering = [...underWay].some((outgoing) => outgoing.socket === socket && outgoing.headersSent);
    if (error.code === 'ECONNRESET' || !socket.writable || answering) socket.destroy();
    else end(socket, refused(codeOf(error)));
  });

  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      done({
        port: (server.address() as AddressInfo).port,
        close: async (onStopped) => {
          await acceptWaiting();
          // In one step with closing the socket: a client that is asked to close its connection opens a new one.
          closing = true;
          for (const outgoing of underWay) outgoing.shouldKeepAlive = false;
          const ended = closed(server, limits);
          onStopped?.();
          return ended;
        },
      });
    });
  });
}

/** Requests that Node's parser and timers refuse. */
function codeOf({ code }: NodeJS.ErrnoException): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'REQUEST_MALFORMED';
}

function wireHeaders(answer: Answer & { requestId: string }): Record<string, string> {
  return headersOf(answer, {
    'x-request-id': answer.requestId,
    'content-length': String(Buffer.byteLength(String(answer.body))),
  });
}

const LET_READ_MS = 1_000;

/**
 * Answers where there is no parsed request, and gives the client a moment to read it: destroying the connection at once
 * could lose the answer.
 */
function end(
  socket: Duplex,
  answer: Answer & { requestId: string },
  more: Readonly<Record<string, string>> = {},
): void {
  const headers = Object.entries({ ...wireHeaders(answer), ...more, connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines}\r\n${answer.body}`);
  setTimeout(() => socket.destroy(), LET_READ_MS).unref();
}

/**
 * Lets the event loop accept connections that the system has established and this process has not seen yet: closing the
 * listening socket would reset them, and the requests that clients have sent on them. The first iteration may start
 * after the poll for events.
 */
async function acceptWaiting(): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}

function closed(server: Server, { lingerMs, finishMs }: HttpServerLimits): Promise<void> {
  const lingering = setTimeout(() => server.closeIdleConnections(), lingerMs);
  const finishing = setTimeout(() => server.closeAllConnections(), finishMs);
  return new Promise((done) => {
    // http.Server.close() drops idle connections at once, and with them requests that are in transit.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(lingering);
      clearTimeout(finishing);
      done();
    });
  });
}
