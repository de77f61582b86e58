/** Text fields with label, help and error. The error stands under its field and is linked to it. */
import type { ClipboardEvent, ReactNode, Ref } from 'react';
import { TextField as Field, FieldError, Input, Label, Text, TextArea } from 'react-aria-components';

type TextFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  error?: string | undefined;
  help?: ReactNode;
  placeholder?: string | undefined;
  isMono?: boolean;
  isLabelHidden?: boolean;
  lengthMax?: number;
  inputMode?: 'numeric' | 'text';
  type?: 'text' | 'date' | 'time';
  /** The id of a list of completions. */
  list?: string;
  onKeyDown?: (event: { readonly key: string; preventDefault(): void }) => void;
  onPaste?: (event: ClipboardEvent<Element>) => void;
  /** Stands at the right end of the label's line. */
  aside?: ReactNode;
  /** Stands at the right of the field, in its line. */
  after?: ReactNode;
  className?: string;
  /** More than 1 makes it a text area. */
  rows?: number;
  /** Drawn behind the text, which is then transparent: the same text in colours. */
  backdrop?: ReactNode;
  /** Where the form looks for the field of a mistake. */
  path?: string;
  ref?: Ref<HTMLInputElement>;
};

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, onBlur, error, help, aside, after, path, isLabelHidden } = props;
  return (
    <Field
      className={`field ${props.className ?? ''}`}
      value={value}
      onChange={onChange}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      type={props.type ?? 'text'}
      {...(onBlur === undefined ? {} : { onBlur })}
      onKeyDown={(event) => {
        props.onKeyDown?.(event);
        // The kit swallows what it hands to a listener; other keys belong to the window.
        event.continuePropagation();
      }}
      {...(props.onPaste === undefined ? {} : { onPaste: props.onPaste })}
      {...(isLabelHidden ? { 'aria-label': label } : {})}
      {...(props.lengthMax === undefined ? {} : { maxLength: props.lengthMax })}
      {...(props.inputMode === undefined ? {} : { inputMode: props.inputMode })}
      {...(path === undefined ? {} : { 'data-path': path })}
    >
      {isLabelHidden ? null : (
        <div className="field-head">
          <Label className="field-label">{label}</Label>
          {aside}
        </div>
      )}
      <div className="field-line">
        <Control {...props} />
        {after}
      </div>
      <FieldError className="field-error">{error}</FieldError>
      {/* Always in the page: the kit links a description only if it is there from the start. */}
      <Text slot="description" className="field-help">
        {help}
      </Text>
    </Field>
  );
}

function Control({ rows = 1, isMono, placeholder, backdrop, ref, list }: TextFieldProps) {
  const shared = {
    className: `input${isMono ? ' input-mono' : ''}`,
    spellCheck: !isMono,
    autoComplete: 'off',
    ...(placeholder === undefined ? {} : { placeholder }),
  };
  if (rows > 1) return <TextArea {...shared} rows={rows} />;
  const input = (
    <Input
      {...shared}
      {...(ref === undefined ? {} : { ref })}
      {...(list === undefined ? {} : { list })}
      onScroll={(event) => {
        const behind = event.currentTarget.previousElementSibling;
        if (behind !== null) behind.scrollLeft = event.currentTarget.scrollLeft;
      }}
    />
  );
  if (backdrop === undefined) return input;
  return (
    <div className="input-layers">
      <div className="input-backdrop" aria-hidden="true">
        {backdrop}
      </div>
      {input}
    </div>
  );
}
