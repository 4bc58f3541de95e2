/** Turns `- [ ]` and `- [x]` at the start of a list item into a labeled mark, not a form control. */
import type { MarkdownIt, Token } from 'markdown-it';

const MARK = /^\[([ xX])\]\s/;

export function taskLists(md: MarkdownIt) {
  md.core.ruler.after('inline', 'task_lists', (state) => {
    const { tokens } = state;
    for (let i = 2; i < tokens.length; i++) {
      const token = tokens[i];
      const text = token?.children?.[0];
      const item = tokens[i - 2];
      if (token?.type !== 'inline' || text?.type !== 'text' || item?.type !== 'list_item_open') continue;
      if (tokens[i - 1]?.type !== 'paragraph_open') continue;
      const done = MARK.exec(text.content)?.[1];
      if (done === undefined) continue;
      item.attrJoin('class', 'md-task');
      text.content = text.content.slice(4);
      const mark: Token = new state.Token('task_mark', '', 0);
      mark.meta = { done: done !== ' ' };
      token.children?.unshift(mark);
    }
  });
  md.renderer.rules['task_mark'] = (tokens, index) => {
    const done = (tokens[index]?.meta as { done: boolean } | undefined)?.done === true;
    return `<span class="md-task-mark" data-md-done="${done}"></span>`;
  };
}
