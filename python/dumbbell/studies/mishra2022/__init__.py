"""A replication of Mishra et al. (IMC 2022): fifty flows of BBR and CUBIC on real hosts, n of them BBR."""
