import type { ComponentProps } from 'react';
import { QuestionCard } from '../questions/QuestionCard';
import { isQuestion } from '../tools/callWords';
import { PermissionCard } from './PermissionCard';

/** A request of an agent: a question, or a permission request. */
export function RequestCard(props: ComponentProps<typeof PermissionCard>) {
  const Card = isQuestion(props.call) ? QuestionCard : PermissionCard;
  return <Card key={props.request.requestId} {...props} />;
}
