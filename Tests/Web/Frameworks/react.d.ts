// As much of React's types as the component in docs/spa.md uses; no package is fetched for the check.
declare module 'react' {
  export function useState<T>(): [T | undefined, (value: T | undefined) => void]
  export function useState<T>(value: T): [T, (value: T) => void]
  export function useEffect(effect: () => void | (() => void), dependencies: unknown[]): void
  export interface FormEvent<T> { currentTarget: T; preventDefault(): void }
}
declare module 'react/jsx-runtime' {
  export function jsx(): JSX.Element
  export const jsxs: typeof jsx
  export namespace JSX {
    interface Element { isElement: true }
    interface ElementAttributesProperty { props: unknown }
    interface Common { key?: string | number; children?: unknown }
    interface IntrinsicElements {
      p: Common & { role?: 'alert' | 'status' }
      main: Common
      h1: Common
      label: Common
      button: Common & { onClick?: () => unknown }
      form: Common & { onSubmit?: (event: import('react').FormEvent<HTMLFormElement>) => void }
      input: Common & { name?: string; type?: 'password' | 'text' }
    }
  }
}
