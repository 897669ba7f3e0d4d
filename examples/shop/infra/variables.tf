variable "database_class" {
  type    = string
  default = "db.t4g.medium"
}

variable "gateway_token_secret" {
  type        = string
  description = "Name of the secret that holds the gateway's token, never the token itself."
}
