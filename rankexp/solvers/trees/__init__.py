"""Splits that oriented trees choose by concordant pairs."""
