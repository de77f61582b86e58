/** Starts the window: styles, stores around the bridge, and the page. The only place that knows where the bridge is. */
import './zodWithoutCodegen';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { createBridge } from './bridge';
import { pageSurroundings } from './page';
import { createStores } from './store/stores';
import './styles/all.css';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');
const stores = createStores(createBridge(window.belfry), pageSurroundings());
createRoot(root).render(
  <StrictMode>
    <App stores={stores} />
  </StrictMode>,
);
