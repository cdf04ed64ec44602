"""One file for each verb, named as it is; the function of that name is what runs."""
