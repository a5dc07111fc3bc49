/** Paths of kubectl and helm, unpacking them when they are not there yet. */
export function kubectlAndHelm(): { readonly kubectl: string; readonly helm: string };
