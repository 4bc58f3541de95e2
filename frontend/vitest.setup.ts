import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import { patience } from './vitest.patience';

configure({ asyncUtilTimeout: patience });

afterEach(cleanup);
