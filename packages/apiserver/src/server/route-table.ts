// The non-resource endpoints by path, and the index of paths at `/`.

import type { ApiResponse } from '@homeostat/client';
import { encodeJson } from '@homeostat/machinery';
import type { Route } from './route.ts';

export class RouteTable {
  readonly #exact = new Map<string, Route>();
  /** Longest first. */
  readonly #prefixes: readonly Route[];
  readonly #routes: readonly Route[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
    for (const route of routes) if (route.prefix !== true) this.#exact.set(route.path, route);
    this.#prefixes = routes.filter((route) => route.prefix === true).sort((a, b) => b.path.length - a.path.length);
  }

  find(path: string): Route | undefined {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    const below = this.#prefixes.find((route) => path === route.path || path.startsWith(withSlash(route.path)));
    if (below !== undefined) return below;
    return path === '/' || path === '/index.html' || path === '' ? this.#index : undefined;
  }

  readonly #index: Route = {
    path: '/',
    methods: ['GET', 'HEAD'],
    handle: (): ApiResponse => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: { kind: 'bytes', chunks: [encodeJson({ paths: this.paths() })] },
    }),
  };

  paths(): readonly string[] {
    const paths = new Set<string>();
    for (const route of this.#routes) {
      if (route.listed !== false) paths.add(route.path);
      for (const path of route.indexPaths?.() ?? []) paths.add(path);
    }
    return [...paths].sort();
  }
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
