/** Constants that the build writes into the bundles (build/bundles.mjs). */

/** True only in a build made for tests: hooks behind it are not even in the bundles that users get. */
declare const __TEST_BUILD__: boolean;

/** Where the window comes from during development with hot reload, as `http://127.0.0.1:1234/`; null in every build. */
declare const __DEV_SERVER__: string | null;
