/**
 * The fuses of the Electron that users get: the switches in the binary that decide what it may be talked into. Read by
 * the packaging and by the check of its result.
 */

/** In electron-builder's words; what is not a wish of ours stays as Electron has it. */
export const releaseFuses = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  // Linux has no check of the archive's integrity: there the ownership of the installed files protects it.
  enableEmbeddedAsarIntegrityValidation: process.platform !== 'linux',
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
};

/**
 * By position in the fuse wire. Complete on purpose: a fuse that is not listed here makes the check of the package
 * fail, so that a newer Electron cannot bring one along unseen.
 */
export const expectedWire = [
  { name: 'RunAsNode', isOn: releaseFuses.runAsNode },
  { name: 'EnableCookieEncryption', isOn: releaseFuses.enableCookieEncryption },
  { name: 'EnableNodeOptionsEnvironmentVariable', isOn: releaseFuses.enableNodeOptionsEnvironmentVariable },
  { name: 'EnableNodeCliInspectArguments', isOn: releaseFuses.enableNodeCliInspectArguments },
  { name: 'EnableEmbeddedAsarIntegrityValidation', isOn: releaseFuses.enableEmbeddedAsarIntegrityValidation },
  { name: 'OnlyLoadAppFromAsar', isOn: releaseFuses.onlyLoadAppFromAsar },
  { name: 'LoadBrowserProcessSpecificV8Snapshot', isOn: releaseFuses.loadBrowserProcessSpecificV8Snapshot },
  { name: 'GrantFileProtocolExtraPrivileges', isOn: releaseFuses.grantFileProtocolExtraPrivileges },
  // Only newer versions of Electron have this one. It guards memory accesses of WebAssembly and is on by default.
  { name: 'WasmTrapHandlers', isOn: true },
];
