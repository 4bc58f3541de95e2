// WebKit drops the roles of table elements with a grid layout, so they are set explicitly.

/** Rows are selected with the keyboard, so the grid has the focus. `active`: id of the active row. */
export function grid(active: string | undefined) {
  return {
    role: 'grid',
    tabIndex: 0,
    'aria-multiselectable': true,
    'aria-activedescendant': active,
  } as const;
}
export const rowGroup = { role: 'rowgroup' } as const;
export const gridRow = { role: 'row' } as const;
export const columnHeader = { role: 'columnheader' } as const;
export const gridCell = { role: 'gridcell' } as const;
