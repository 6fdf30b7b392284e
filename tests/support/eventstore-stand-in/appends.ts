import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import type * as pb from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream, ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import type { Faults } from './faults.ts';
import { notReady } from './reads.ts';
import type { Outcome, ProposedEvent, Store } from './store.ts';

const MAX_APPEND_BYTES = 1024 * 1024;

type Request = { stream: string; expected: number | 'any'; events: ProposedEvent[]; bytes: number };

export type Appends = {
  readonly batch: (call: ServerDuplexStream<pb.BatchAppendReq, pb.BatchAppendResp>) => void;
  readonly single: (
    call: ServerReadableStream<pb.AppendReq, pb.AppendResp>,
    done: sendUnaryData<pb.AppendResp>,
  ) => void;
};

export function createAppends(store: Store, faults: Faults): Appends {
  function answer(request: Request): pb.BatchAppendResp | undefined {
    if (faults.notReady) return refusal('Empty', 'Server Is Not Ready');
    if (faults.swallowAppends > 0) {
      faults.swallowAppends -= 1;
      return undefined;
    }
    if (faults.failAppends.count > 0) {
      faults.failAppends.count -= 1;
      return refusal(faults.failAppends.error);
    }
    if (request.bytes > MAX_APPEND_BYTES) return refusal('MaximumAppendSizeExceeded');
    const outcome = store.append(request.stream, request.expected, request.events);
    faults.beforeAnswer?.();
    if (faults.swallowAnswers > 0) {
      faults.swallowAnswers -= 1;
      return undefined;
    }
    return outcome.kind === 'written' ? written(outcome) : refusal('WrongExpectedVersion');
  }

  return {
    batch: (call) => {
      const requests = new Map<string, Request>();
      call.on('data', (message: pb.BatchAppendReq) => {
        const id = message.getCorrelationId()?.getString() ?? '';
        const request = requests.get(id) ?? begin(message.getOptions());
        requests.set(id, request);
        for (const proposed of message.getProposedMessagesList()) add(request, proposed);
        if (!message.getIsFinal()) return;
        requests.delete(id);
        const response = answer(request);
        if (response === undefined) return;
        response.setCorrelationId(message.getCorrelationId());
        const stream = new sharedPb.StreamIdentifier();
        stream.setStreamName(Buffer.from(request.stream));
        response.setStreamIdentifier(stream);
        call.write(response);
      });
      call.on('end', () => call.end());
      call.on('error', () => {});
    },
    single: (call, done) => {
      let request: Request | undefined;
      call.on('data', (message: pb.AppendReq) => {
        const options = message.getOptions();
        if (options !== undefined) request = begin(options);
        const proposed = message.getProposedMessage();
        if (proposed !== undefined && request !== undefined) add(request, proposed);
      });
      call.on('error', () => {});
      call.on('end', () => {
        if (request === undefined || faults.notReady) {
          done(notReady());
          return;
        }
        done(null, singleAnswer(store.append(request.stream, request.expected, request.events)));
      });
    },
  };
}

function begin(options: pb.BatchAppendReq.Options | pb.AppendReq.Options | undefined): Request {
  const stream = Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
  return { stream, expected: expectedBy(options), events: [], bytes: 0 };
}

function expectedBy(options: pb.BatchAppendReq.Options | pb.AppendReq.Options | undefined): number | 'any' {
  if (options === undefined || options.hasAny() || options.hasStreamExists()) return 'any';
  if (options.hasNoStream()) return -1;
  return Number('getStreamPosition' in options ? options.getStreamPosition() : options.getRevision());
}

function add(request: Request, proposed: pb.BatchAppendReq.ProposedMessage | pb.AppendReq.ProposedMessage): void {
  const event = {
    id: proposed.getId()?.getString().toLowerCase() ?? '',
    type: proposed.getMetadataMap().get('type') ?? '',
    contentType: proposed.getMetadataMap().get('content-type') ?? '',
    data: Buffer.from(proposed.getData_asU8()),
    metadata: Buffer.from(proposed.getCustomMetadata_asU8()),
  };
  request.events.push(event);
  request.bytes += event.data.length + event.metadata.length + 2 * event.type.length;
}

function written(outcome: Extract<Outcome, { kind: 'written' }>): pb.BatchAppendResp {
  const position = new sharedPb.AllStreamPosition();
  position.setCommitPosition(String(outcome.position));
  position.setPreparePosition(String(outcome.position));
  const success = new streamsPb.BatchAppendResp.Success();
  success.setCurrentRevision(String(outcome.revision));
  success.setPosition(position);
  const response = new streamsPb.BatchAppendResp();
  response.setSuccess(success);
  return response;
}

/** An error as the server encodes it: its kind is the type of its details; the message of a version error is empty. */
function refusal(kind: string, message = ''): pb.BatchAppendResp {
  const details = new anyPb.Any();
  details.pack(new Uint8Array(), kind === 'Empty' ? 'google.protobuf.Empty' : `event_store.client.${kind}`);
  const status = new statusPb.Status();
  status.setMessage(message);
  status.setDetails(details);
  const response = new streamsPb.BatchAppendResp();
  response.setError(status);
  return response;
}

function singleAnswer(outcome: Outcome): pb.AppendResp {
  const response = new streamsPb.AppendResp();
  if (outcome.kind === 'written') {
    const position = new streamsPb.AppendResp.Position();
    position.setCommitPosition(String(outcome.position));
    position.setPreparePosition(String(outcome.position));
    const success = new streamsPb.AppendResp.Success();
    success.setCurrentRevision(String(outcome.revision));
    success.setPosition(position);
    response.setSuccess(success);
  } else {
    const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
    if (outcome.current >= 0) wrong.setCurrentRevision(String(outcome.current));
    else wrong.setCurrentNoStream(new sharedPb.Empty());
    response.setWrongExpectedVersion(wrong);
  }
  return response;
}
