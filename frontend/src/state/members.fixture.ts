import type { Member } from '../transport/api';

export function member(id: string, name: string, change: Partial<Member> = {}): Member {
  return {
    id,
    name,
    agentId: 'a',
    agentName: 'Robin',
    role: '',
    speaks: 'direct',
    reads: 'all',
    joinedAt: 0,
    default: id === 'main',
    ...change,
  };
}
