import type { Json } from '../../transcript/types';

export const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Example input for each built-in tool. */
export const inputs: Readonly<Record<string, { [key: string]: Json }>> = {
  showApprovalForm: {
    title: 'Approve the budget',
    description: 'For the autumn.',
    details: [
      { label: 'Sum', value: '4 200 €' },
      { label: 'Until', value: 'November' },
    ],
    approveLabel: 'Release',
    rejectLabel: 'Keep back',
    comment: true,
  },
  showChoice: {
    question: 'Which fruit?',
    options: [
      { id: 'a', label: 'Apple', description: 'Sour' },
      { id: 'p', label: 'Pear' },
      { id: 3, label: 'Quince' },
    ],
    other: true,
  },
  showForm: {
    title: 'Delivery',
    description: 'Where to?',
    schema: {
      type: 'object',
      required: ['street'],
      properties: {
        street: { type: 'string', title: 'Street' },
        floor: { type: 'integer', title: 'Floor', minimum: 0 },
        how: { type: 'string', title: 'How', enum: ['bike', 'van'] },
        gift: { type: 'boolean', title: 'A gift' },
      },
    },
    values: { street: 'Elm Lane 4', floor: 2, how: 'van', gift: true },
    submitLabel: 'Deliver',
  },
  showCard: {
    title: 'Ladder',
    subtitle: 'Ash, 3 m',
    text: 'Stands on slopes.',
    image: png,
    price: '89 €',
    badges: ['New', 'In stock'],
    fields: [{ label: 'Weight', value: 7 }],
    actions: [
      { id: 'buy', label: 'Buy', style: 'primary' },
      { id: 'later', label: 'Later' },
    ],
  },
  showDiff: { path: 'src/tree.ts', oldText: 'one\ntwo\n', newText: 'one\nthree\n', language: 'ts' },
  showImage: { src: png, alt: 'A tree', caption: 'Behind the house' },
  showMarkdown: { text: '# Harvest\n\n* apples\n* pears' },
  showProgress: {
    title: 'Picking',
    percent: 40,
    steps: [
      { label: 'Ladder', status: 'done' },
      { label: 'Pick', status: 'running' },
      { label: 'Carry', status: 'pending' },
    ],
  },
  weighHarvest: { title: 'Scales', crates: 12, heavy: true, each: [{ kg: 9.5 }] },
};
