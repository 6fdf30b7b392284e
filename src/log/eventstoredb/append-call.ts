import { randomUUID } from 'node:crypto';
import type * as shared from '@eventstore/db-client/generated/shared_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { PreparedAppend } from '../prepared-append.ts';
import { type AppendCall, type Connection, type Link, openAppendCall } from './connection.ts';
import { Refused } from './failures.ts';
import { sentPosition } from './positions.ts';

/** A definite answer of the server. `position` is missing when the server did not include it. */
export type Answer =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: string | undefined }
  | { readonly kind: 'version-error' }
  | { readonly kind: 'too-large' };

type Sendable = Pick<PreparedAppend, 'stream' | 'expected' | 'events'>;

type Pending = { readonly resolve: (answer: Answer) => void; readonly reject: (error: unknown) => void };

/**
 * Sends appends over one BatchAppend call a link, with a table of its own for those not answered yet.
 *
 * The client's own `appendToStream` does the same with one table for the whole process, which costs it three things: it
 * waits for ever on a link that broke before the append was sent, another client's broken link fails its appends, and
 * when the link breaks while more appends wait to be sent than the buffer takes (16), their rejections are nobody's and
 * end the process.
 */
export class AppendSender {
  readonly #connection: Connection;
  readonly #callMs: number;
  readonly #calls = new WeakMap<Link, Promise<OpenCall>>();

  constructor(connection: Connection, callMs: number) {
    this.#connection = connection;
    this.#callMs = callMs;
  }

  /** One attempt. Throws Refused for a definite no; after any other error the append may or may not be in the log. */
  async send(append: Sendable): Promise<Answer> {
    const link = this.#connection.link();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${this.#callMs} ms`));
      this.#connection.giveUp(link, 'an append was not answered in time');
    }, this.#callMs);
    const onGone = (): void => reject(link.gone.reason);
    link.gone.addEventListener('abort', onGone);
    this.#call(link)
      .then((call) => call.send(append, { resolve, reject }))
      .catch(reject);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      link.gone.removeEventListener('abort', onGone);
    }
  }

  #call(link: Link): Promise<OpenCall> {
    const open = this.#calls.get(link);
    if (open !== undefined) return open;
    const forget = (): void => {
      this.#calls.delete(link);
    };
    const opening = openCall(link, forget);
    this.#calls.set(link, opening);
    opening.catch(forget);
    return opening;
  }
}

type OpenCall = { readonly send: (append: Sendable, pending: Pending) => void };

async function openCall(link: Link, onEnd: () => void): Promise<OpenCall> {
  const { call, failed } = await openAppendCall(link);
  const pending = new Map<string, Pending>();
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    onEnd();
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  call.on('data', (response: BatchAppendResp) => {
    const id = uuidText(response.getCorrelationId());
    const waiting = pending.get(id);
    pending.delete(id);
    if (waiting === undefined) return;
    try {
      waiting.resolve(read(response));
    } catch (error) {
      waiting.reject(error);
    }
  });
  call.on('error', (error: Error) => {
    end(error);
    failed(error).catch(() => {});
  });
  call.on('end', () => end(new Error('the server ended the call')));
  if (link.gone.aborted) call.cancel();
  else link.gone.addEventListener('abort', () => call.cancel(), { once: true });
  return { send: (append, waiting) => write(call, append, waiting, pending, ended) };
}

function write(
  call: AppendCall,
  append: Sendable,
  waiting: Pending,
  pending: Map<string, Pending>,
  ended: Error | undefined,
): void {
  if (ended !== undefined) {
    waiting.reject(ended);
    return;
  }
  const id = randomUUID();
  pending.set(id, waiting);
  call.write(request(id, append));
}

/** Without a deadline: the server uses its own, while ours would be compared with another clock. */
function request(correlationId: string, append: Sendable): BatchAppendReq {
  const options = new streamsPb.BatchAppendReq.Options();
  const stream = new sharedPb.StreamIdentifier();
  stream.setStreamName(Buffer.from(append.stream));
  options.setStreamIdentifier(stream);
  if (append.expected < 0) options.setNoStream(new sharedPb.Empty());
  else options.setStreamPosition(String(append.expected));
  const batch = new streamsPb.BatchAppendReq();
  batch.setCorrelationId(uuid(correlationId));
  batch.setOptions(options);
  batch.setIsFinal(true);
  for (const event of append.events) {
    const message = new streamsPb.BatchAppendReq.ProposedMessage();
    message.setId(uuid(event.id));
    message.getMetadataMap().set('type', event.type).set('content-type', 'application/json');
    message.setData(Buffer.from(event.data));
    message.setCustomMetadata(Buffer.from(event.metadata));
    batch.addProposedMessages(message);
  }
  return batch;
}

function uuid(text: string): shared.UUID {
  const id = new sharedPb.UUID();
  id.setString(text);
  return id;
}

/**
 * The server returns the text we sent; in answers of its own, such as a timeout, it sends the two halves as numbers.
 */
function uuidText(id: shared.UUID | undefined): string {
  const halves = id?.getStructured();
  if (halves === undefined) return id?.getString() ?? '';
  const hex = [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const ERRORS = 'event_store.client.';

function read(response: BatchAppendResp): Answer {
  const success = response.getSuccess();
  if (success !== undefined) {
    const written = success.getPosition();
    const position = written && {
      commit: BigInt(written.getCommitPosition()),
      prepare: BigInt(written.getPreparePosition()),
    };
    return { kind: 'appended', revision: Number(success.getCurrentRevision()), position: sentPosition(position) };
  }
  const error = response.getError();
  switch (error?.getDetails()?.getTypeName()) {
    // Its fields are not used: the receiver of this answer reads the stream.
    case `${ERRORS}WrongExpectedVersion`:
      return { kind: 'version-error' };
    case `${ERRORS}MaximumAppendSizeExceeded`:
      return { kind: 'too-large' };
    case `${ERRORS}AccessDenied`:
      throw new Refused('access denied');
    case `${ERRORS}StreamDeleted`:
      throw new Refused('the stream was deleted');
    case `${ERRORS}BadRequest`:
      throw new Refused(`bad request: ${error?.getMessage() ?? ''}`);
    default:
      // Among them "Server Is Not Ready" and the server's own timeout.
      throw new Error(error?.getMessage() || error?.getDetails()?.getTypeName() || 'an answer without content');
  }
}
