/** A tooltip on hover or keyboard focus. Never the only place of information: it repeats the name of its trigger. */
import type { ReactElement } from 'react';
import { Tooltip, TooltipTrigger } from 'react-aria-components';
import { Kbd } from './kbd';
import type { Shortcut } from './shortcut';

const DELAY_MS = 500;

type TooltipProps = { text: string; shortcut?: Shortcut; children: ReactElement };

export function WithTooltip({ text, shortcut, children }: TooltipProps) {
  return (
    <TooltipTrigger delay={DELAY_MS} closeDelay={0}>
      {children}
      <Tooltip className="tooltip" offset={6}>
        {text}
        {shortcut === undefined ? null : <Kbd of={shortcut} />}
      </Tooltip>
    </TooltipTrigger>
  );
}
