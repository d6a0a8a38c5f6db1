/** Loaded by a process before all else, shifts its clock by CLOCK_SKEW_MS. */
const skew = Number(process.env['CLOCK_SKEW_MS']);
const now = Date.now;
const RightDate = Date;

Date.now = (): number => now() + skew;
globalThis.Date = new Proxy(RightDate, {
  construct: (_, args: []) => (args.length > 0 ? new RightDate(...args) : new RightDate(RightDate.now())),
  apply: () => new RightDate(RightDate.now()).toString(),
});
