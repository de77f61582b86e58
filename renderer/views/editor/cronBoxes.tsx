/** A box for each field of an expression. Space goes to the next box, Backspace at the start of an empty one to the last. */
import { Copy } from 'lucide-react';
import { type ComponentProps, useRef, useState } from 'react';
import type { CronMistake } from '../../../shared/model/preview';
import { IconButton } from '../../ui/button';
import { TextField } from '../../ui/textField';
import { useStores } from '../stores';

import { type BoxName, boxesOf, tokensOf, wholeOf, withToken } from './expression';
import { texts } from './texts';

const words = texts.cron;

type BoxesProps = {
  expression: string;
  mistakes: readonly CronMistake[];
  onChange: (expression: string) => void;
  /** The whole expression was pasted into a box. */
  onWhole: (expression: string) => void;
  path: string;
};

export function CronBoxes({ expression, mistakes, onChange, onWhole, path }: BoxesProps) {
  const { editor, copy } = useStores();
  const group = useRef<HTMLFieldSetElement>(null);
  const boxes = boxesOf(expression);
  const tokens = tokensOf(expression);
  const focus = (index: number): void => {
    const box = group.current?.querySelectorAll('input')[index];
    box?.focus();
    box?.select();
  };
  return (
    <fieldset ref={group} className="boxes">
      <legend className="sr">{words.fields}</legend>
      {boxes.map((box, index) => (
        <Box
          key={box}
          name={box}
          text={tokens[index]?.text ?? ''}
          isWrong={mistakes.some(({ field }) => field === box || (field === 'expression' && box === 'word'))}
          onChange={(text) => onChange(withToken(expression, index, text))}
          onWhole={onWhole}
          onMove={(by) => focus(index + by)}
          onBlur={() => {
            if (expression.trim() !== '') editor.getState().leave(path);
          }}
        />
      ))}
      <IconButton icon={Copy} label={words.copy} onPress={() => void copy(expression, words.copied)} />
    </fieldset>
  );
}

type BoxProps = {
  name: BoxName;
  text: string;
  isWrong: boolean;
  onChange: (text: string) => void;
  onWhole: (expression: string) => void;
  onMove: (by: 1 | -1) => void;
  onBlur: () => void;
};

/** What is typed stays in the box: an empty one must not pull the next field into its place. */
function Box({ name, text, isWrong, onChange, onWhole, onMove, onBlur }: BoxProps) {
  const [isEmptied, setEmptied] = useState(false);
  const onKeyDown: ComponentProps<typeof TextField>['onKeyDown'] = (event) => {
    const isAtStart = isEmptied || text === '';
    if (event.key === ' ') {
      event.preventDefault();
      onMove(1);
    } else if (event.key === 'Backspace' && isAtStart) {
      event.preventDefault();
      onMove(-1);
    }
  };
  return (
    <TextField
      className={`box hue-${name}${isWrong ? ' box-wrong' : ''}`}
      label={words.names[name]}
      isMono
      value={isEmptied ? '' : text}
      onChange={(typed) => {
        setEmptied(typed.trim() === '');
        if (typed.trim() !== '') onChange(typed);
      }}
      onBlur={() => {
        setEmptied(false);
        onBlur();
      }}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        const whole = wholeOf(event.clipboardData.getData('text'));
        if (whole === null) return;
        event.preventDefault();
        onWhole(whole);
      }}
    />
  );
}
