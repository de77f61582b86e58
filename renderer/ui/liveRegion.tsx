/** The two places screen readers are spoken to from: one waits its turn, one interrupts. */

export type Announcement = { readonly id: number; readonly text: string; readonly isUrgent: boolean };

export function LiveRegion({ announcement }: { announcement: Announcement | null }) {
  const text = (isUrgent: boolean): string =>
    announcement !== null && announcement.isUrgent === isUrgent ? announcement.text : '';
  return (
    <>
      <div className="sr" role="status" aria-live="polite">
        <span key={announcement?.id}>{text(false)}</span>
      </div>
      <div className="sr" role="alert" aria-live="assertive">
        <span key={announcement?.id}>{text(true)}</span>
      </div>
    </>
  );
}
