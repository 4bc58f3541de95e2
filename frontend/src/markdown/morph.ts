/**
 * Makes `target` look like `source` but keeps every node that is already right, so that selection and focus in a block
 * survive while text is appended.
 */
export function morph(target: Node, source: Node): void {
  let have = target.firstChild;
  let want = source.firstChild;
  while (want !== null) {
    const next = want.nextSibling;
    if (have === null) {
      target.appendChild(want);
    } else {
      const following: ChildNode | null = have.nextSibling;
      if (alike(have, want)) update(have, want);
      else target.replaceChild(want, have);
      have = following;
    }
    want = next;
  }
  while (have !== null) {
    const following: ChildNode | null = have.nextSibling;
    have.remove();
    have = following;
  }
}

function alike(a: Node, b: Node): boolean {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName;
}

function update(have: Node, want: Node): void {
  if (have instanceof Text && want instanceof Text) {
    if (want.data === have.data) return;
    if (want.data.startsWith(have.data)) have.appendData(want.data.slice(have.length));
    else have.data = want.data;
    return;
  }
  if (!(have instanceof Element) || !(want instanceof Element)) return;
  // The user decides whether a fold is open.
  const own = have instanceof HTMLDetailsElement ? 'open' : '';
  for (const { name } of [...have.attributes])
    if (name !== own && !want.hasAttribute(name)) have.removeAttribute(name);
  for (const { name, value } of want.attributes) {
    if (name !== own && have.getAttribute(name) !== value) have.setAttribute(name, value);
  }
  morph(have, want);
}
