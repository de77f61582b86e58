/** What a place shows when it has nothing to show: a sentence, a line, and what to do next. */
import type { ReactNode } from 'react';

type EmptyStateProps = { title: string; children?: ReactNode; actions?: ReactNode };

export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className="empty">
      <h2 className="empty-title">{title}</h2>
      {children === undefined ? null : <div className="empty-text">{children}</div>}
      {actions === undefined ? null : <div className="empty-actions">{actions}</div>}
    </div>
  );
}
