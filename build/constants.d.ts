/** Constants that the build writes into the bundles (build/parts.mjs). */

/** True only in a build made for tests: hooks behind it are not even in the bundles that users get. */
declare const __TEST_BUILD__: boolean;
