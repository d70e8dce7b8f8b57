"""Neural networks in ONNX: a small subset of its operators, on one sample at a time."""
