"""Cao, Jain, Sharma, Balasubramanian, Gandhi: When to use and when not to use BBR (IMC 2019)."""
