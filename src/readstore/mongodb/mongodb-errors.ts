import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { ReadStoreUnavailable } from '../read-store.ts';

const DUPLICATE_KEY = 11_000;

/**
 * Server codes that mean "not now": no primary here, stepping down, shutting down, out of time or memory, a lock or a
 * write conflict, a cursor or query plan ended from outside, a write concern not met in time.
 */
const PASSING_CODES = new Set([
  6, 7, 24, 43, 50, 64, 89, 91, 100, 112, 134, 175, 189, 202, 237, 262, 279, 317, 365, 9001, 10_058, 10_107, 11_600,
  11_601, 11_602, 13_435, 13_436,
]);

/** API errors that mean the client lost its server or was closed. */
const PASSING_NAMES = new Set([
  'MongoClientClosedError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoOperationTimeoutError',
  'MongoExpiredSessionError',
]);

/** The driver's and the server's transient faults as ReadStoreUnavailable; anything else unchanged. */
export function unavailable(error: unknown): unknown {
  if (!(error instanceof MongoError) || !isPassing(error)) return error;
  return new ReadStoreUnavailable(`MongoDB: ${error.message}`, { cause: error });
}

function isPassing(error: MongoError): boolean {
  if (error instanceof MongoBulkWriteError) return isPassingBulk(error);
  // Includes a cleared pool and, as a server selection, a full wait queue.
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (error instanceof MongoWriteConcernError) return true;
  if (PASSING_NAMES.has(error.name) || error.name === 'MongoWaitQueueTimeoutError') return true;
  if (error.hasErrorLabel('RetryableWriteError')) return true;
  return error instanceof MongoServerError && isPassingCode(error.code);
}

const isPassingCode = (code: unknown): boolean => typeof code === 'number' && PASSING_CODES.has(code);

/**
 * The driver wraps whatever ends a bulk write, and gives as its code that of the first write that failed: what counts
 * is the cause, or else every failed write. Ids that exist already count for nothing beside a fault that passes, since
 * the repetition reports them again.
 */
function isPassingBulk(error: MongoBulkWriteError): boolean {
  const cause: unknown = error.errorResponse;
  if (cause instanceof MongoError) return isPassing(cause);
  const codes = writeErrorsOf(error)
    .map((fault) => fault.code)
    .filter((code) => code !== DUPLICATE_KEY);
  if (!codes.every(isPassingCode)) return false;
  return codes.length > 0 || hasWriteConcernError(error) || isPassingCode(error.code);
}

function writeErrorsOf(error: MongoBulkWriteError): readonly { readonly code: number; readonly index: number }[] {
  return [error.writeErrors].flat();
}

function hasWriteConcernError(error: MongoBulkWriteError): boolean {
  return error.err !== undefined || error.result.getWriteConcernError() !== undefined;
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** The indexes of the inserts whose `_id` already existed. @throws the error itself for any other failure */
export function duplicatesIn(error: unknown): number[] {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const faults = writeErrorsOf(error);
  if (faults.length === 0 || faults.some((fault) => fault.code !== DUPLICATE_KEY)) throw error;
  return faults.map((fault) => fault.index);
}

export function isNoCollection(error: unknown): boolean {
  // Other servers with the same protocol send the message without the code.
  return error instanceof MongoServerError && (error.code === 26 || error.message === 'ns not found');
}
