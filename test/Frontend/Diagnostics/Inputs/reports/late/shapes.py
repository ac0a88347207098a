import settings

ROWS = 16 // settings.TP
