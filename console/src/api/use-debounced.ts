import { useEffect, useState } from 'preact/hooks';

/** The value once it has stayed the same for so long. */
export function useDebounced<Value>(value: Value, afterMs = 150): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
