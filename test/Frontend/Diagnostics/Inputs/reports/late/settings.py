TP = 1
