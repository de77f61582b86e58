/** Stand-ins with the geometry of what is loading. They wait a moment, so that a quick answer shows no flicker. */
import { useEffect, useState } from 'react';

const APPEAR_MS = 150;
const STILL_MS = 5_000;

type SkeletonProps = { label: string; stillLabel: string; rows: number; className: string };

export function SkeletonRows({ label, stillLabel, rows, className }: SkeletonProps) {
  const [stage, setStage] = useState<'hidden' | 'shown' | 'long'>('hidden');
  useEffect(() => {
    const appear = setTimeout(() => setStage('shown'), APPEAR_MS);
    const still = setTimeout(() => setStage('long'), STILL_MS);
    return () => {
      clearTimeout(appear);
      clearTimeout(still);
    };
  }, []);
  if (stage === 'hidden') return <div className="skeleton" aria-busy="true" />;
  return (
    <div className="skeleton" role="status" aria-busy="true" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div key={index} className={className} aria-hidden="true">
          <span className="skeleton-bar" />
          <span className="skeleton-bar" />
        </div>
      ))}
      {stage === 'long' ? <p className="skeleton-note">{stillLabel}</p> : null}
    </div>
  );
}
