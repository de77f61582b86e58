/** A switch. The position of the knob is the sign, not its colour; the name carries the label alone. */
import { SwitchButton, SwitchField } from 'react-aria-components';

type SwitchProps = {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** Shows the label beside the switch; otherwise it is only its name. */
  isLabelVisible?: boolean;
};

export function Switch({ label, isOn, onChange, isLabelVisible = false }: SwitchProps) {
  return (
    <SwitchField
      className="switch-field"
      isSelected={isOn}
      onChange={onChange}
      {...(isLabelVisible ? {} : { 'aria-label': label })}
    >
      <SwitchButton className="switch">
        <span className="switch-track" />
        {isLabelVisible ? <span>{label}</span> : null}
      </SwitchButton>
    </SwitchField>
  );
}
