/** A small button for a ready-made value, and one that removes what it names. */
import { X } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Icon } from './icon';

export function Chip({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <Button className="chip" onPress={onPress}>
      {label}
    </Button>
  );
}

type RemovableChipProps = { label: string; removeLabel: string; onRemove: () => void };

export function RemovableChip({ label, removeLabel, onRemove }: RemovableChipProps) {
  return (
    <span className="chip chip-removable">
      {label}
      <Button className="chip-remove" aria-label={removeLabel} onPress={onRemove}>
        <Icon of={X} size={12} />
      </Button>
    </span>
  );
}
