func.func @network(%x: tensor<784xf32> {secret.secret}, %w1: tensor<128x784xf32>, %w2: tensor<128x128xf32>, %w3: tensor<10x128xf32>) -> tensor<10xf32> {
  %z1 = arith.constant dense<0.0> : tensor<128xf32>
  %z3 = arith.constant dense<0.0> : tensor<10xf32>
  %a = linalg.matvec ins(%w1, %x : tensor<128x784xf32>, tensor<784xf32>) outs(%z1 : tensor<128xf32>) -> tensor<128xf32>
  %b = arith.mulf %a, %a : tensor<128xf32>
  %c = linalg.matvec ins(%w2, %b : tensor<128x128xf32>, tensor<128xf32>) outs(%z1 : tensor<128xf32>) -> tensor<128xf32>
  %d = arith.mulf %c, %c : tensor<128xf32>
  %e = linalg.matvec ins(%w3, %d : tensor<10x128xf32>, tensor<128xf32>) outs(%z3 : tensor<10xf32>) -> tensor<10xf32>
  return %e : tensor<10xf32>
}
