using Microsoft.AspNetCore.Mvc;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Its actions say where they ran. The controller belongs on the pool, one action on the reactor.</summary>
[ApiController]
[RunOnThreadPool]
public sealed class MarkedController : ControllerBase
{
    [HttpGet("/marked/controller")]
    public IActionResult AsItsController() => Content(Learning.Where());

    [HttpGet("/marked/action")]
    [RunOnReactor]
    public IActionResult AsItself() => Content(Learning.Where());
}

/// <summary>Nothing is said of it.</summary>
public sealed class WhereController : ControllerBase
{
    public IActionResult Default() => Content(Learning.Where());
}
