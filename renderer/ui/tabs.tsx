/** Tabs over panels. Only the chosen panel is in the page. */
import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as TabSet } from 'react-aria-components';

export type TabEntry<Id extends string> = {
  readonly id: Id;
  readonly label: string;
  readonly count?: string;
  readonly panel: ReactNode;
};

type TabsProps<Id extends string> = {
  label: string;
  value: Id;
  tabs: readonly TabEntry<Id>[];
  onChange: (id: Id) => void;
};

export function Tabs<Id extends string>({ label, value, tabs, onChange }: TabsProps<Id>) {
  return (
    <TabSet className="tabs" selectedKey={value} onSelectionChange={(id) => onChange(id as Id)}>
      <TabList className="tab-list" aria-label={label}>
        {tabs.map((tab) => (
          <Tab key={tab.id} id={tab.id} className="tab">
            {tab.label}
            {tab.count === undefined ? null : <span className="tab-count"> {tab.count}</span>}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="tab-panel">
          {tab.panel}
        </TabPanel>
      ))}
    </TabSet>
  );
}
