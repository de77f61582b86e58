/** The zone a schedule is read in: this laptop's, wherever it is, or a named one that stays. */
import { Globe } from 'lucide-react';
import { useMemo } from 'react';
import { LOCAL_ZONE } from '../../../shared/model/schedule';
import { cityOf } from '../../format';
import { ComboBox, type ComboOption } from '../../ui/comboBox';
import { useMistakes } from './fields';
import { texts } from './texts';
import type { ScheduleProps } from './whenSection';

const words = texts.when;

/** The zone of this laptop. */
export const hereZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every zone the platform knows, the likely ones first. `chosen` is there even if the platform does not know it. */
function zoneOptions(chosen: string): readonly ComboOption[] {
  const here = hereZone();
  const first: ComboOption[] = [
    { id: LOCAL_ZONE, label: words.thisLaptop(cityOf(here)), note: words.thisLaptopNote },
    // Found by its city and by its name.
    { id: here, label: words.always(cityOf(here), here) },
  ];
  const others = ['UTC', ...Intl.supportedValuesOf('timeZone')].filter((zone) => zone !== here);
  const named = others.map((zone) => ({ id: zone, label: zone.replaceAll('_', ' ') }));
  const all = [...first, ...named];
  const known = new Map(all.map((option) => [option.id, option]));
  if (!known.has(chosen)) known.set(chosen, { id: chosen, label: chosen });
  return [...known.values()];
}

/** The zones by their names alone. */
export const namedZones = (): readonly ComboOption[] =>
  ['UTC', ...Intl.supportedValuesOf('timeZone')].map((id) => ({ id, label: id.replaceAll('_', ' ') }));

export function ZoneField({ schedule, index, change }: ScheduleProps) {
  const mistakes = useMistakes();
  const zone = schedule.kind === 'once' ? schedule.once.zone : schedule.cron.zone;
  const options = useMemo(() => zoneOptions(zone), [zone]);
  const path = `schedules.${index}.rule.zone`;
  return (
    <ComboBox
      label={words.zone}
      openLabel={words.openZones}
      icon={Globe}
      value={zone}
      options={options}
      error={mistakes[path]}
      path={path}
      onChange={(id) =>
        change(
          'rule.zone',
          schedule.kind === 'once'
            ? { once: { ...schedule.once, zone: id } }
            : { cron: { ...schedule.cron, zone: id } },
        )
      }
    />
  );
}
