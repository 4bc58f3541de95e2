// WebKit takes the meaning from parts of a table that are laid out as a grid, so it is said again.

/** Rows are chosen by keys here, so the grid has the focus. `active`: the id of the row that they are on. */
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
