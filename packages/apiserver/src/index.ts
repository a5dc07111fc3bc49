// Public names of this package.
export {};
