/** How far something has come, or only that it goes on. */

type ProgressProps = {
  label: string;
  /** 0 to 1; null if nobody knows how much there is. */
  share: number | null;
  /** What stands under the bar. */
  text: string;
};

export function Progress({ label, share, text }: ProgressProps) {
  const percent = share === null ? null : Math.round(share * 100);
  return (
    <div className="progress">
      <div
        className={`progress-track${percent === null ? ' progress-open' : ''}`}
        role="progressbar"
        aria-label={label}
        aria-valuetext={text}
        {...(percent === null ? {} : { 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent })}
      >
        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect className="progress-done" width={percent ?? 30} height="1" />
        </svg>
      </div>
      <p className="progress-text num">{text}</p>
    </div>
  );
}
