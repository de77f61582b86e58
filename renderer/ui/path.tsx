/** A path in one line. If it is long, its middle is hidden and not its end; it is selected and copied as a whole. */

/** Letters of the end that always stay in view. */
const END = 28;

export function Path({ path }: { path: string }) {
  const cut = Math.max(0, path.length - END);
  return (
    <span className="path mono" title={path}>
      <span className="path-start">{path.slice(0, cut)}</span>
      <span className="path-end">{path.slice(cut)}</span>
    </span>
  );
}
