/** The bar over the list: narrow it by typing, and choose its order. */
import { ListFilter } from 'lucide-react';
import { useMemo } from 'react';
import type { JobSort } from '../../store/place';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { Kbd } from '../../ui/kbd';
import { focusRegion } from '../../ui/regions';
import { SearchField } from '../../ui/searchField';
import type { Option } from '../../ui/segmented';
import { Select } from '../../ui/select';
import { useStores } from '../stores';
import { parseFilter } from './filter';
import { texts } from './texts';

const SORTS = (Object.entries(texts.sorts) as [JobSort, string][]).map(
  ([id, label]): Option<JobSort> => ({ id, label }),
);

type FilterBarProps = {
  isOrderChanged: boolean;
  onRelease: () => void;
};

export function FilterBar({ isOrderChanged, onRelease }: FilterBarProps) {
  const { place } = useStores();
  const filter = useSelected(place, (state) => state.filter);
  const sort = useSelected(place, (state) => state.sort);
  const unknown = useMemo(() => parseFilter(filter).unknown[0], [filter]);
  return (
    <div className="bar" role="search">
      <SearchField
        label={texts.filter}
        placeholder={texts.filterPlaceholder}
        clearLabel={texts.clearFilter}
        icon={ListFilter}
        value={filter}
        onChange={(text) => place.getState().change({ filter: text })}
        onSubmit={() => focusRegion('list')}
        onLeave={() => focusRegion('list')}
        after={
          unknown === undefined ? (
            filter === '' ? (
              <Kbd of="/" />
            ) : null
          ) : (
            <span className="bar-hint" role="status">
              {texts.unknownFilter(unknown)}
            </span>
          )
        }
      />
      {isOrderChanged ? (
        <span className="bar-hint">
          {texts.orderChanged}
          <Button variant="quiet" isSmall onPress={onRelease}>
            {texts.refresh}
          </Button>
        </span>
      ) : null}
      <Select
        look="bar"
        label={texts.sort}
        value={sort}
        options={SORTS}
        onChange={(id) => place.getState().change({ sort: id })}
      />
    </div>
  );
}
