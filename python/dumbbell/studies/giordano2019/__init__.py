"""O. Giordano: BBR vs Cubic vs Reno TCP performance analysis (slides, University of Trento, 2019)."""
