import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FailurePanel } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Specimen } from './specimen.tsx';

const FAILURE = {
  code: 'READ_MODEL_BEHIND',
  message: 'The read model has not reached x-min-log-position yet; try again.',
  requestId: '0190ab2c-5d1e',
  missing: null,
  meta: {},
};

export function States() {
  const again = (): void => undefined;
  return (
    <div class="specimens">
      <Specimen name="Skeleton">
        <Skeleton />
        <Skeleton as="block" lines={1} />
      </Specimen>
      <Specimen name="Empty">
        <Empty action={<Button>Clear the filters</Button>}>No transaction has these filters.</Empty>
      </Specimen>
      <Specimen name="Failed">
        <FailurePanel what="The transactions could not be loaded." failure={FAILURE} onAgain={again} />
      </Specimen>
      <Specimen name="Forbidden">
        <FailurePanel what="" failure={{ ...FAILURE, missing: 'connections:read' }} />
      </Specimen>
      <Specimen name="Stale">
        <Loaded
          of={{ data: 'What came last', failure: FAILURE, isLoading: false, at: new Date(), reload: again }}
          what="It could not be loaded."
        >
          {(data) => <p>{data}</p>}
        </Loaded>
      </Specimen>
    </div>
  );
}
