import fc from 'fast-check';

// Whether a change is seen must not depend on what a property happens to draw; what it threw is in
// the report only so.
fc.configureGlobal({ seed: 1, includeErrorInReport: true });
