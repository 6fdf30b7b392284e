import type { Socket } from 'node:net';
import { createCounter } from '../../shared/counter.ts';
import { networkOf } from '../../traffic/failed-attempts.ts';

export type ConnectionsPerNetwork = {
  readonly opened: (socket: Socket) => void;
  /** To be called for each request on the connection; what it returns, when the request has ended. */
  readonly began: (socket: Socket) => () => void;
};

/**
 * Bounds the connections of one network, so that no client can use up those of all: beyond the limit the one of the
 * network that was idle longest is closed, or the new one where none is idle.
 */
export function limitPerNetwork(limit: number): ConnectionsPerNetwork {
  /** Requests in progress; pipelined ones overlap. */
  const busy = createCounter<Socket>();
  /** The least recently used first. */
  const networks = new Map<string, Set<Socket>>();

  return {
    opened(socket) {
      const network = networkOf(socket.remoteAddress ?? '');
      const open = networks.get(network) ?? new Set<Socket>();
      networks.set(network, open);
      socket.once('close', () => {
        open.delete(socket);
        if (open.size === 0) networks.delete(network);
      });
      open.add(socket);
      if (open.size <= limit) return;
      for (const other of open) {
        if (other !== socket && busy.has(other)) continue;
        open.delete(other);
        other.destroy();
        return;
      }
    },
    began(socket) {
      const end = busy.begin(socket);
      return () => {
        end?.();
        const open = networks.get(networkOf(socket.remoteAddress ?? ''));
        if (open?.delete(socket)) open.add(socket);
      };
    },
  };
}
