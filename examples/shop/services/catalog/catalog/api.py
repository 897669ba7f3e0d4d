from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from .prices import price_of
from .search import search


def problem(status: int, title: str, detail: str) -> JSONResponse:
    return JSONResponse(
        {"type": "about:blank", "title": title, "status": status, "detail": detail},
        status_code=status,
        media_type="application/problem+json",
    )


async def products(request: Request) -> JSONResponse:
    query = request.query_params.get("q", "")
    if len(query) > 200:
        return problem(400, "query is too long", "at most 200 characters")
    return JSONResponse([{**p, "price": price_of(p["sku"])} for p in search(query)])


app = Starlette(routes=[Route("/products", products)])
