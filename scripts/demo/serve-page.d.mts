export function startPage(port: number): Promise<{
  readonly origin: string;
  readonly show: (addresses: { readonly shop: string; readonly phone: string }) => void;
  readonly close: () => Promise<void>;
}>;
