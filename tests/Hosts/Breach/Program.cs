using Ioxide.TestKit;

// Does one thing that ends a process, or that depends on a process's limits, and says how it went. Run by Ioxide.Tests.
//   Ioxide.BreachHost NAME    see Ioxide.TestKit.Breaches for the names
return await Breaches.RunAsync(args[0]);
