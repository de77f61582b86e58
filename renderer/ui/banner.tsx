/** One fact in bold, one plain sentence, at most two buttons. Screen readers are told when it arrives. */
import type { ReactNode } from 'react';

export type BannerKind = 'info' | 'warn' | 'fail';

type BannerProps = {
  kind: BannerKind;
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** Part of the page from the start, such as advice in a form: not announced. */
  isQuiet?: boolean;
};

export function Banner({ kind, icon, title, children, actions, isQuiet }: BannerProps) {
  const role = isQuiet ? undefined : kind === 'fail' ? 'alert' : 'status';
  return (
    <div className={`banner banner-${kind}`} {...(role === undefined ? {} : { role })}>
      {icon}
      <p className="banner-text">
        <b>{title}</b> {children}
      </p>
      {actions === undefined ? null : <div className="banner-actions">{actions}</div>}
    </div>
  );
}
