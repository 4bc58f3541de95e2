import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import { beginFrame } from './src/markdown/frameBudget';
import { patience } from './vitest.patience';

configure({ asyncUtilTimeout: patience });

afterEach(cleanup);
// What one test has drawn is not in the frame of the next.
afterEach(beginFrame);
